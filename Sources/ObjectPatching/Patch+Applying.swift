public import ManagedObjects
public import ObjectModel
public import ObjectStore

extension Patch {
  /// Makes of what a context shows what the patch says: attributes first, then relationships; objects that are missing
  /// come to be, and those that go are deleted by the model's rules. All of it is one step that can be undone, or none
  /// of it is done. Nothing is saved.
  ///
  /// - Parameters:
  ///   - policy: what becomes of values that are not what the patch says they are.
  ///   - delegate: does what the patch cannot do by itself.
  ///   - name: the name of the step.
  /// - Returns: what was done.
  /// - Throws: `PatchConflicts`, which has all conflicts; `PatchError`, which names the place, where the patch cannot be
  ///   applied at all; what the delegate throws; `ContextError.isPatching` where the delegate, or what the context calls
  ///   meanwhile, has asked the context for what would break the step; `StoreError` where the store cannot be read.
  ///   Nothing has changed then; but where a delegate has changed something before it threw, nothing can be redone any
  ///   more. Where that cannot be taken back, it is `ContextError.patchNotTakenBack`.
  @discardableResult
  public func apply(
    to context: ManagedObjectContext, policy: PatchPolicy = .refuse,
    delegate: (any PatchDelegate)? = nil, named name: String = "Apply patch"
  ) throws -> PatchReport {
    try perform(fitting(context, policy, delegate), delegate, named: name)
  }

  /// The same to a context that is saved next: what is known not to be savable is refused before any of it is done.
  ///
  /// - Throws: as `apply(to:policy:delegate:named:)`; `InvalidPatch` where what the patch makes cannot be saved.
  package func applySavable(
    to context: ManagedObjectContext, policy: PatchPolicy = .refuse
  ) throws -> PatchReport {
    try perform(savable(context, policy, nil), nil)
  }

  private func perform(
    _ plan: PatchPlan, _ delegate: (any PatchDelegate)?, named name: String = "Apply patch"
  ) throws -> PatchReport {
    let context = plan.context
    if plan.isEmpty { return plan.report() }
    guard delegate == nil || context.canTakeBack else {
      throw PatchError(
        .openUndoGroup,
        "what a delegate does can be taken back only as a step; end the undo group, or switch undo on, before."
      )
    }
    return try context.asStep(named: name) {
      var execution = PatchExecution(plan, delegate)
      return plan.report(try execution.run())
    }
  }

  /// What applying the patch would do. Nothing is changed, and no delegate is asked to make or patch anything.
  ///
  /// As by a fetch, what is pending is processed before: delete rules run, and what others have saved is brought in where
  /// the context does so by itself. What is being changed is no step by that, and is undone as one.
  ///
  /// - Throws: as `apply(to:policy:delegate:named:)`, but for what the delegate would throw.
  public func report(
    applyingTo context: ManagedObjectContext, policy: PatchPolicy = .refuse,
    delegate: (any PatchDelegate)? = nil
  ) throws -> PatchReport {
    // That can be told of a context that is for looking only, too.
    let plan =
      context.isReadOnly
      ? try PatchPlan(self, context, policy, delegate).fitting
      : try fitting(context, policy, delegate)
    return plan.report(findings: try plan.findings())
  }

  /// The conflicts that applying the patch would meet, whatever becomes of them. Pending changes are processed as for a
  /// report.
  ///
  /// - Throws: `PatchError` where the patch cannot be applied at all; `StoreError` where the store cannot be read.
  public func conflicts(
    with context: ManagedObjectContext, delegate: (any PatchDelegate)? = nil
  ) throws -> [PatchConflict] {
    try planned(context, .refuse, delegate).conflicts
  }

  /// Makes of a store what the patch says, and saves that: all of it or nothing.
  ///
  /// - Returns: the commit; nil where there was nothing to do.
  /// - Throws: as for a context, and as a save does; `InvalidPatch` where what the patch makes cannot be saved. Nothing has
  ///   changed then. Of conflicts, and of what a report's findings tell, the journal has nothing; what only the save has
  ///   found, as by hooks, was done and given up before.
  @discardableResult
  public func apply(
    to store: JournaledStore, policy: PatchPolicy = .refuse, delegate: (any PatchDelegate)? = nil,
    author: String? = nil, message: String? = nil, userInfo: [String: Value] = [:]
  ) throws -> Commit? {
    let context = ManagedObjectContext(store, isolation: nil)
    let plan = try savable(context, policy, delegate)
    do {
      let report = try perform(plan, delegate)
      do {
        return try context.save(author: author, message: message, userInfo: userInfo)
      } catch let errors as ValidationErrors {
        throw InvalidPatch(errors, report)
      }
    } catch {
      context.rollback()
      throw error
    }
  }

  private func planned(
    _ context: ManagedObjectContext, _ policy: PatchPolicy, _ delegate: (any PatchDelegate)?
  ) throws -> PatchPlan {
    guard !context.isReadOnly else {
      throw PatchError(
        .readOnly, "the context is for looking only; apply the patch to one that can be changed.")
    }
    if let refusal = context.refusal { throw refusal }
    context.processForLooking()
    return try PatchPlan(self, context, policy, delegate)
  }

  private func fitting(
    _ context: ManagedObjectContext, _ policy: PatchPolicy, _ delegate: (any PatchDelegate)?
  ) throws -> PatchPlan {
    try planned(context, policy, delegate).fitting
  }

  private func savable(
    _ context: ManagedObjectContext, _ policy: PatchPolicy, _ delegate: (any PatchDelegate)?
  ) throws -> PatchPlan {
    let plan = try fitting(context, policy, delegate)
    let findings = try plan.findings()
    guard findings.isEmpty else { throw InvalidPatch(findings: findings) }
    return plan
  }
}

extension PatchPlan {
  /// The plan, where nothing keeps it from being done.
  fileprivate var fitting: PatchPlan {
    get throws {
      guard conflicts.isEmpty else { throw PatchConflicts(conflicts: conflicts) }
      return self
    }
  }
}
