// Heap snapshots of running processes, summed by class. The processes run with `--heapsnapshot-signal=SIGUSR2` and
// `--diagnostic-dir`.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 500
const LIMIT_MS = 60_000

/**
 * Takes a snapshot, which collects garbage first.
 *
 * @param {number} pid
 * @param {string} folder the process's diagnostic directory; the snapshot is removed from it
 * @returns {Promise<{ bytes: number, classes: Map<string, { bytes: number, count: number }> }>} live bytes, array
 *   buffers included
 */
export async function takeHeapSnapshot(pid, folder) {
  process.kill(pid, 'SIGUSR2')
  let size = 0
  const limit = performance.now() + LIMIT_MS
  while (performance.now() < limit) {
    await sleep(POLL_MS)
    const [file] = readdirSync(folder).filter((name) => name.endsWith('.heapsnapshot'))
    if (file === undefined) continue
    const path = join(folder, file)
    const before = size
    size = statSync(path).size
    // The process is still writing.
    if (size === 0 || size !== before) continue
    const snapshot = JSON.parse(readFileSync(path, 'utf8'))
    rmSync(path)
    return sumByClass(snapshot)
  }
  throw new Error(`process ${pid} wrote no heap snapshot within ${LIMIT_MS} ms`)
}

/** Nodes of the format of V8's heap snapshots: rows of `node_fields` numbers. */
function sumByClass({ snapshot: { meta }, nodes, strings }) {
  const { node_fields: fields, node_types: types } = meta
  const [type, name, size] = ['type', 'name', 'self_size'].map((field) => fields.indexOf(field))
  const classes = new Map()
  let bytes = 0
  for (let node = 0; node < nodes.length; node += fields.length) {
    const kind = types[type][nodes[node + type]]
    // Names of strings and code are their contents.
    const isNamed = kind === 'object' || kind === 'native' || kind === 'closure'
    const label = isNamed ? `${kind} ${strings[nodes[node + name]].slice(0, 60)}` : kind
    const sum = classes.get(label) ?? { bytes: 0, count: 0 }
    sum.bytes += nodes[node + size]
    sum.count += 1
    classes.set(label, sum)
    bytes += nodes[node + size]
  }
  return { bytes, classes }
}

/** Classes by the bytes that they gained, the largest first. */
export function growthByClass(before, after) {
  return [...after.classes]
    .map(([label, { bytes, count }]) => {
      const old = before.classes.get(label) ?? { bytes: 0, count: 0 }
      return { label, bytes: bytes - old.bytes, count: count - old.count }
    })
    .sort((a, b) => b.bytes - a.bytes)
}
