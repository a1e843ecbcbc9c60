import { Store } from '../../live/store.ts'
import { type AbiSource, createAbiBook, type KnownAbis, readAbiFile } from '../model/abi/abi-book.ts'

/** The part of `localStorage` that is used. */
export interface TextStorage {
  getItem(key: string): string | null
  setItem(key: string, text: string): void
}

/**
 * A storage of the browser, or one that lasts until the page closes where the browser blocks it.
 *
 * @param open returns the storage; throws where site data are blocked
 */
export function storageOr(open: () => TextStorage): TextStorage {
  try {
    return open()
  } catch {
    const texts = new Map<string, string>()
    return {
      getItem: (key) => texts.get(key) ?? null,
      setItem: (key, text) => void texts.set(key, text),
    }
  }
}

export interface AbiState {
  /** Those that the user added. */
  readonly sources: readonly AbiSource[]
  /** Those of the node (`--abi`), which the browser does not keep. */
  readonly ofNode: readonly AbiSource[]
  readonly book: KnownAbis
}

const KEY = 'tickertape.studio.abis'

/** The ABIs that the user added, which the browser keeps, and those of the node. */
export class AbiStorage {
  readonly state: Store<AbiState>
  readonly #storage: TextStorage

  constructor(storage: TextStorage) {
    this.#storage = storage
    this.state = new Store(stateOf(stored(storage), []))
  }

  /**
   * Adds the ABI of a file; one of the same name is replaced.
   *
   * @returns what is wrong with the file; `undefined` if nothing
   */
  add(name: string, text: string): string | undefined {
    const result = readAbiFile(name, text)
    if (result.kind === 'refused') return result.message
    const others = this.state.value.sources.filter((source) => source.name !== result.source.name)
    return this.#set([...others, result.source])
  }

  /** Uses the ABIs of a node after those that the user added. */
  useNode(ofNode: readonly AbiSource[]): void {
    this.state.set(stateOf(this.state.value.sources, ofNode))
  }

  remove(name: string): void {
    this.#set(this.state.value.sources.filter((source) => source.name !== name))
  }

  #set(sources: readonly AbiSource[]): string | undefined {
    this.state.set(stateOf(sources, this.state.value.ofNode))
    try {
      this.#storage.setItem(KEY, JSON.stringify(sources))
      return undefined
    } catch {
      return 'The ABI is used until the page closes: the storage of the browser is full or switched off.'
    }
  }
}

function stateOf(sources: readonly AbiSource[], ofNode: readonly AbiSource[]): AbiState {
  return { sources, ofNode, book: createAbiBook([...sources, ...ofNode]) }
}

function stored(storage: TextStorage): readonly AbiSource[] {
  try {
    const sources: unknown = JSON.parse(storage.getItem(KEY) ?? '[]')
    if (!Array.isArray(sources)) return []
    return sources.flatMap(({ name, abi }: { name?: unknown; abi?: unknown }) => {
      const result = readAbiFile(String(name), JSON.stringify(abi))
      return result.kind === 'read' ? [result.source] : []
    })
  } catch {
    // Written by another version, or the storage is switched off.
    return []
  }
}
