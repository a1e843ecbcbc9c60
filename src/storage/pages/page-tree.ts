import type { Entry, Range } from '../key-value.ts'
import { childPageOf, contentOf, countNodes, keyOf, nodeAt, type Tree } from './page-format.ts'
import type { PageReader } from './page-reader.ts'

interface Place {
  readonly page: Buffer
  index: number
}

/** Reads one tree of a database without LMDB. Every method throws DamagedPageError. */
export class PageTree {
  readonly #reader: PageReader
  readonly #tree: Tree

  constructor(tree: Tree, reader: PageReader) {
    this.#tree = tree
    this.#reader = reader
  }

  get(key: Uint8Array): Buffer | undefined {
    const place = this.#leafFor(key)
    if (place === undefined || place.index >= countNodes(place.page)) return undefined
    const node = nodeAt(place.page, place.index)
    return keyOf(place.page, node).equals(key) ? this.#valueAt(place.page, node) : undefined
  }

  /** Entries are copies. */
  *range({ from, to, reverse = false, limit = Number.POSITIVE_INFINITY }: Range): Generator<Entry> {
    if (limit <= 0 || to?.length === 0) return
    const path = this.#pathTo(reverse ? to : from, reverse)
    if (path === undefined) return
    // A reversed range begins below `to`, which is exclusive.
    const isThere = reverse ? this.#moveBack(path) : this.#moveOn(path)
    if (!isThere) return
    for (let count = 0; count < limit; ) {
      const { page, index } = path.at(-1)!
      const node = nodeAt(page, index)
      const key = keyOf(page, node)
      if (reverse ? from !== undefined && key.compare(from) < 0 : to !== undefined && key.compare(to) >= 0) return
      yield { key: Buffer.from(key), value: Buffer.from(this.#valueAt(page, node)!) }
      count += 1
      if (count === limit) return
      path.at(-1)!.index += reverse ? 0 : 1
      if (!(reverse ? this.#moveBack(path) : this.#moveOn(path))) return
    }
  }

  /** The trees of tables, by name; for the main tree. */
  *trees(): Generator<{ readonly name: string; readonly tree: Tree }> {
    const path = this.#pathTo(undefined, false)
    while (path !== undefined && this.#moveOn(path)) {
      const place = path.at(-1)!
      const node = nodeAt(place.page, place.index)
      const content = contentOf(place.page, node)
      // lmdb terminates names with a zero byte.
      const name = keyOf(place.page, node).toString('utf8').replace(/\0$/, '')
      if (content.kind === 'tree') yield { name, tree: content.tree }
      place.index += 1
    }
  }

  #valueAt(page: Buffer, node: number): Buffer | undefined {
    const content = contentOf(page, node)
    if (content.kind === 'overflow') return this.#reader.value(content.run)
    return content.kind === 'value' ? content.value : undefined
  }

  /** The leaf where a key belongs, and the first place in it at or after the key. */
  #leafFor(key: Uint8Array): Place | undefined {
    const { root, depth } = this.#tree
    if (root === undefined) return undefined
    let page = this.#reader.page(root)
    for (let level = depth; level > 1; level--) {
      page = this.#reader.page(childPageOf(page, nodeAt(page, childIndex(page, key))))
    }
    return { page, index: firstAtOrAfter(page, 0, key) }
  }

  /** Places from the root to the leaf of a key; without a key, to the first or behind the last entry. */
  #pathTo(key: Uint8Array | undefined, isEnd: boolean): Place[] | undefined {
    const { root, depth } = this.#tree
    if (root === undefined) return undefined
    const path: Place[] = []
    let page = this.#reader.page(root)
    for (let level = depth; level > 1; level--) {
      const last = isEnd ? countNodes(page) - 1 : 0
      const index = key === undefined ? last : childIndex(page, key)
      path.push({ page, index })
      page = this.#reader.page(childPageOf(page, nodeAt(page, index)))
    }
    const end = isEnd ? countNodes(page) : 0
    path.push({ page, index: key === undefined ? end : firstAtOrAfter(page, 0, key) })
    return path
  }

  /** Moves a place behind the last entry of its leaf to the next leaf. @returns whether there is an entry */
  #moveOn(path: Place[]): boolean {
    return this.#isInside(path) || this.#descend(path, 1)
  }

  #isInside(path: readonly Place[]): boolean {
    const { page, index } = path.at(-1)!
    return index < countNodes(page)
  }

  #moveBack(path: Place[]): boolean {
    const leaf = path.at(-1)!
    if (leaf.index === 0) return this.#descend(path, -1)
    leaf.index -= 1
    return true
  }

  /** Moves the path to the neighbouring leaf. */
  #descend(path: Place[], direction: 1 | -1): boolean {
    let level = path.length - 2
    while (level >= 0) {
      const { page, index } = path[level]!
      if (index + direction >= 0 && index + direction < countNodes(page)) break
      level -= 1
    }
    if (level < 0) return false
    path[level]!.index += direction
    for (; level < path.length - 1; level++) {
      const { page, index } = path[level]!
      const below = this.#reader.page(childPageOf(page, nodeAt(page, index)))
      path[level + 1] = { page: below, index: direction === 1 ? 0 : countNodes(below) - 1 }
    }
    return true
  }
}

/** The child of a branch that holds a key: the last one whose key is not above it; the first has no lower bound. */
function childIndex(page: Buffer, key: Uint8Array): number {
  const index = firstAtOrAfter(page, 1, key)
  return index < countNodes(page) && keyOf(page, nodeAt(page, index)).equals(key) ? index : index - 1
}

function firstAtOrAfter(page: Buffer, start: number, key: Uint8Array): number {
  let low = start
  let high = countNodes(page)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (keyOf(page, nodeAt(page, middle)).compare(key) < 0) low = middle + 1
    else high = middle
  }
  return low
}
