import type { DatabaseContent } from './database.ts'

/** A database that nothing survives, whose commits take no time. */
export class MemoryDatabase {
  content: DatabaseContent = new Map()

  async commit(content: DatabaseContent): Promise<void> {
    this.content = content
  }
}
