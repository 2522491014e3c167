// EventCoding: events and commits to bytes and back, within limits. Knows no frames.
