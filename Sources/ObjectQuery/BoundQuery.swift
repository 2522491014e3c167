package import ObjectModel

/// A query whose names and literals have been resolved.
package struct BoundQuery: Sendable {
  package let entity: String
  package let filter: BoundFilter
  package let sort: [BoundSortKey]
  package let limit: Int?
  package let offset: Int

  /// The same query, sorted by no more than its first keys.
  package func sorted(byFirst count: Int) -> BoundQuery {
    BoundQuery(
      entity: entity, filter: filter, sort: Array(sort.prefix(count)), limit: limit, offset: offset)
  }
}

/// By what objects are sorted, with the key resolved.
package struct BoundSortKey: Sendable {
  package let path: BoundPath
  package let isDescending: Bool
  let options: Filter.TextOptions
  let source: SortKey

  /// What an object is sorted by.
  package func value<Object: QueryObject>(of object: Object) throws(Object.Failure) -> Value {
    prepared(try object.value(of: path))
  }

  /// What an object is sorted by whose value is this; for paths that are the object's own key.
  package func prepared(_ value: Value) -> Value {
    options.isEmpty ? value : value.folded(options)
  }

  /// The key of the object itself by whose values it is sorted as they are; nil where there is none.
  package var plainKey: KeyNumber? { options.isEmpty ? path.ownKey : nil }
}

extension Query {
  /// Resolves the names and literals of the query.
  ///
  /// - Parameter text: what the query was read from, so that an error can point into it.
  /// - Throws: `QueryError` where the entity or a key is unknown, or a key is compared with what it can
  ///   never hold.
  package func bound(
    to model: ManagedObjectModel, _ resolver: any KeyResolver, text: String? = nil
  ) throws(QueryError) -> BoundQuery {
    guard let found = model.entity(named: entity) else {
      let nearest = Spelling.nearest(to: entity, among: model.entities.map(\.name))
      let hint = nearest.map { "; did you mean \($0)?" } ?? "."
      throw QueryError(
        .unknownEntity, "The model has no entity \(entity.prefix(60))\(hint)",
        at: text.flatMap { QueryParser.place(of: [entity], 0, in: $0) })
    }
    let filter = try filter.bound(to: found, of: model, resolver, text: text)
    var keys: [BoundSortKey] = []
    let names = PathBinder(model: model, entity: found, resolver: resolver)
    for key in sort {
      do throws(BindProblem) {
        keys.append(try key.bound(names))
      } catch {
        let place = text.flatMap {
          QueryParser.place(of: error.path, error.index, behind: "SORT", in: $0)
        }
        throw QueryError(error.code, error.message, at: place)
      }
    }
    return BoundQuery(
      entity: entity, filter: filter, sort: keys, limit: limit.map { max(0, $0) },
      offset: max(0, offset))
  }
}

extension SortKey {
  fileprivate func bound(_ names: PathBinder) throws(BindProblem) -> BoundSortKey {
    let bound = try names.bind(operand)
    guard case .path(let path) = bound.bound else {
      throw BindProblem(.badPath, "\(operand) is no key.", bound.path)
    }
    if path.leadsToMany || path.type == .destinations {
      throw BindProblem(
        .badPath, "\(operand) leads to many objects, and so has no one value; its @count has.",
        bound.path)
    }
    return BoundSortKey(
      path: path, isDescending: isDescending, options: options, source: self)
  }
}
