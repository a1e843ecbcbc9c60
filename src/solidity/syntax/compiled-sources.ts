import type { SourceFile } from './source-file.ts'
import { SyntaxIndex } from './syntax-index.ts'

/** Sources that were compiled together, which contracts share. */
export class CompiledSources {
  readonly files: ReadonlyMap<number, SourceFile>
  readonly #trees: readonly unknown[]
  #syntax: SyntaxIndex | undefined

  constructor(files: readonly SourceFile[], trees: readonly unknown[]) {
    this.files = new Map(files.map((file) => [file.id, file]))
    this.#trees = trees
  }

  get hasTrees(): boolean {
    return this.#trees.length > 0
  }

  /** Read from the syntax trees when it is first needed. */
  get syntax(): SyntaxIndex {
    this.#syntax ??= new SyntaxIndex(this.#trees)
    return this.#syntax
  }
}
