import { type AbiSource, readAbiFile } from '../model/abi/abi-book.ts'

interface Service {
  read(path: string): Promise<{ readonly status: number; readonly text: string }>
}

/** The ABIs of the artifacts that `--abi` names; none if the node has none or cannot be reached. */
export async function readNodeAbis(node: Service): Promise<readonly AbiSource[]> {
  try {
    const { status, text } = await node.read('studio/abis.json')
    const list: unknown = status === 200 ? JSON.parse(text) : []
    return (Array.isArray(list) ? list : []).flatMap((json: unknown) => {
      const { name, abi } = (json ?? {}) as { name?: unknown; abi?: unknown }
      const result = readAbiFile(String(name), JSON.stringify(abi ?? null))
      return result.kind === 'read' ? [result.source] : []
    })
  } catch {
    return []
  }
}
