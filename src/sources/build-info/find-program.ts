// Program that finds a contract in build information; `find-process.ts` starts it. It ends with its one reply.
import { setPriority } from 'node:os'
import { hexToBytes } from '../../primitives/hex.ts'
import { boundedResult } from '../compiler/bounded-result.ts'
import type { BuiltReply, BuiltRequest } from './find-process.ts'
import { findBuiltContract } from './read-build-infos.ts'

/** Blocks come first when processors are scarce. */
const NICENESS = 10

process.once('message', (request: BuiltRequest) => {
  process.send!(reply(request), () => process.exit())
})
// The node has ended.
process.once('disconnect', () => process.exit())
setPriority(NICENESS)

/** A file that cannot be read, or a contract that is too large, is as good as none: nobody asked to verify it. */
function reply({ folder, code }: BuiltRequest): BuiltReply {
  try {
    const contract = findBuiltContract(folder, hexToBytes(code))
    if (contract === undefined) return {}
    const { output, ...others } = contract
    return { contract: { ...others, output: boundedResult(output, (small) => ({ ...others, output: small })) } }
  } catch {
    return {}
  }
}
