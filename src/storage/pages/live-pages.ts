import { childPageOf, contentOf, countNodes, type Meta, nodeAt, type Tree } from './page-format.ts'
import type { PageReader } from './page-reader.ts'
import { PageTree } from './page-tree.ts'

/** A page in use. */
export interface LivePage {
  readonly number: number
  readonly bytes: Buffer
}

/**
 * Reads all pages in use except meta pages: those of LMDB's own trees, then those of the tables.
 *
 * @throws DamagedPageError
 */
export function* livePages({ freeTree, mainTree }: Meta, reader: PageReader): Generator<LivePage, void> {
  yield* pagesOfTree(freeTree, reader)
  yield* pagesOfTree(mainTree, reader)
  for (const { tree } of new PageTree(mainTree, reader).trees()) yield* pagesOfTree(tree, reader)
}

/** @throws DamagedPageError */
export function* pagesOfTree({ root, depth, overflowPages }: Tree, reader: PageReader): Generator<LivePage, void> {
  if (root === undefined) return
  const open = [{ number: root, level: depth }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { number, level } = next
    const bytes = reader.page(number)
    yield { number, bytes }
    if (level === 1 && overflowPages === 0) continue
    for (let index = countNodes(bytes) - 1; index >= 0; index--) {
      const node = nodeAt(bytes, index)
      if (level > 1) open.push({ number: childPageOf(bytes, node), level: level - 1 })
      else yield* overflowPagesOf(bytes, node, reader)
    }
  }
}

function* overflowPagesOf(leaf: Buffer, node: number, reader: PageReader): Generator<LivePage, void> {
  const content = contentOf(leaf, node)
  if (content.kind !== 'overflow') return
  const { first, count } = content.run
  for (let number = first; number < first + count; number++) yield { number, bytes: reader.page(number) }
}
