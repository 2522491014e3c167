import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// What it costs to relate many objects one by one.
@Suite(.serialized) struct RelatingCostTests {
  @Test(arguments: [false, true])
  func `S43: owners are given their members at a cost that grows with their number`(
    areSaved: Bool
  ) throws {
    let growth = try growth(from: 250, to: 2_000) { count in
      let context = try Stage().context()
      var blogs = areSaved ? (0..<count).map { _ in context.insert("Blog") } : []
      if areSaved { try context.save() }
      let time = threadTime {
        for place in 0..<count {
          if !areSaved { blogs.append(context.insert("Blog")) }
          let post = context.insert("Post")
          blogs[place].setValue(.set([post.reference]), forKey: "posts")
        }
      }
      #expect(blogs.allSatisfy { $0.value(forKey: "posts").destinations.count == 1 })
      return time
    }
    #expect(growth < 27)
  }

  @Test func `S20: committed members are told at a cost that grows with the number of owners`()
    throws
  {
    let growth = try growth(from: 250, to: 2_000) { count in
      let context = try Stage().context()
      let blogs = (0..<count).map { _ in context.insert("Blog") }
      let posts = blogs.map { blog in
        let post = context.insert("Post")
        post.setValue(blog.reference, forKey: "blog")
        return post
      }
      try context.save()
      for post in posts { post.setValue(nil, forKey: "blog") }
      var found = 0
      let time = threadTime {
        for blog in blogs {
          found += blog.committedValues(forKeys: ["posts"])["posts"].destinations.count
        }
      }
      #expect(found == count)
      return time
    }
    #expect(growth < 27)
  }

  @Test(arguments: ["set", "ordered"])
  func `S43: giving one object many members costs each what it costs with few`(kind: String) throws
  {
    let growth = try growth(from: 250, to: 2_000) { count in
      let context = try Stage().context()
      let isSet = kind == "set"
      let owner = context.insert(isSet ? "Person" : "Post")
      let members = (0..<count).map { _ in context.insert(isSet ? "Post" : "Comment") }
      let value: Value = isSet ? .set([owner.reference]) : owner.reference
      let time = threadTime {
        for member in members { member.setValue(value, forKey: isSet ? "readers" : "post") }
      }
      #expect(owner.value(forKey: isSet ? "reads" : "comments").destinations.count == count)
      return time
    }
    #expect(growth < 27)
  }

  @Test func `S51, S63: merging ordered members costs what they are, and undoing that too`() throws
  {
    let growth = try growth(from: 500, to: 4_000) { count in
      let stage = try Stage()
      let (context, rival) = (stage.context(), stage.context())
      let post = context.insert("Post")
      try context.save()
      let same = try rival.existingObject(with: post.objectID)
      for (context, post) in [(context, post), (rival, same)] {
        let comments = (0..<count).map { _ in context.insert("Comment").reference }
        post.setValue(.array(comments), forKey: "comments")
      }
      try context.save()
      let time = try threadTime {
        try rival.save(retrying: 1)
        rival.undo()
      }
      #expect(same.value(forKey: "comments").destinations.count == count)
      return time
    }
    // Eight times, where none is looked for among the others.
    #expect(growth < 24)
  }

  @Test(arguments: [false, true])
  func `S43: taking ordered members away one by one costs each what it costs of few`(
    isDeletion: Bool
  ) throws {
    let growth = try growth(from: 250, to: 2_000) { count in
      let context = try Stage().context()
      let post = context.insert("Post")
      let comments = (0..<count).map { _ in context.insert("Comment") }
      post.setValue(.array(comments.map(\.reference)), forKey: "comments")
      try context.save()
      let time = threadTime {
        for comment in comments {
          if isDeletion { context.delete(comment) } else { comment.setValue(nil, forKey: "post") }
        }
        context.processPendingChanges()
      }
      #expect(post.value(forKey: "comments") == .array([]))
      return time
    }
    #expect(growth < 27)
  }
}
