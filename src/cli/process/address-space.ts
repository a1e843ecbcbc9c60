import { readFileSync } from 'node:fs'

const GIB = 2 ** 30
/** A node with the default number of threads maps 140 to 160 GiB: V8 reserves 10 for each WebAssembly memory. */
const ENOUGH = 200 * GIB

/**
 * Advice for a process whose address space is limited: failures of V8 do not name that limit.
 *
 * @param limits the text of `/proc/self/limits`
 */
export function addressSpaceAdvice(limits = ownLimits()): string | undefined {
  const [, bytes] = /^Max address space\s+(\d+)/m.exec(limits) ?? []
  if (bytes === undefined || Number(bytes) >= ENOUGH) return undefined
  const gib = Math.floor(Number(bytes) / GIB)
  return (
    `tickertape: this process may map ${gib} GiB of address space, and a node maps up to ${ENOUGH / GIB} GiB, most of ` +
    'it unused: if it fails, raise or lift the limit (ulimit -v unlimited, LimitAS=infinity)\n'
  )
}

/** Empty where the system does not say. */
function ownLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
