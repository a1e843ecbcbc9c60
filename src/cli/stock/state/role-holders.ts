import { DEVELOPMENT_ACCOUNTS } from '../../../chain/accounts/development-accounts.ts'
import { type Address, bytesToHex, hexToBytes, toAddress, ZERO_HASH } from '../../../primitives/hex.ts'
import { keccakHash } from '../../../primitives/keccak.ts'
import { toQuantity } from '../../../primitives/quantity.ts'
import { stockFunction } from '../chain/contracts.ts'
import type { JsonRpc } from '../chain/json-rpc.ts'
import { type ReadBlock, readAll } from '../chain/multicall.ts'
import { readArray, wireHash, wireObject } from '../chain/wire.ts'
import type { BlockName } from '../terms/block-name.ts'
import { ADMIN_ROLE, ROLES, roleId } from '../terms/roles.ts'
import { read } from './stock-state.ts'

/** Accounts that hold a role. */
export interface RoleHolders {
  readonly role: string
  readonly accounts: readonly Address[]
}

const ROLE_GRANTED = keccakHash(Buffer.from('RoleGranted(bytes32,address,address)', 'ascii'))
const ALL_ROLES = [{ role: ADMIN_ROLE, id: ZERO_HASH }, ...ROLES.map((role) => ({ role, id: roleId(role) }))]

/**
 * The holders of each role of a stock at a block. The contract lists none, so that `hasRole` is called for each account
 * of a `RoleGranted` event, and for the development accounts, whose roles of block 0 have no events.
 *
 * @param place the block, by name and as it was read
 * @throws StockError
 */
export async function readRoleHolders(
  rpc: JsonRpc,
  stock: Address,
  { at, block }: { readonly at: BlockName; readonly block: ReadBlock },
): Promise<readonly RoleHolders[]> {
  const toBlock = at === 'pending' ? at : toQuantity(block.number)
  const filter = { address: stock, topics: [ROLE_GRANTED], fromBlock: '0x0', toBlock }
  const logs = readArray(await rpc.request(['eth_getLogs', filter]), 'logs')
  const named = logs.map((log) => {
    const account = wireHash(readArray(wireObject(log, 'log').topics, 'topics of a log')[2], 'account of a log')
    return toAddress(bytesToHex(hexToBytes(account).subarray(12)))
  })
  const accounts = [...new Set([...named, ...DEVELOPMENT_ACCOUNTS.map(({ address }) => address)])]
  const reads = ALL_ROLES.flatMap(({ id }) =>
    accounts.map((account) => read(stock, stockFunction('hasRole'), { role: hexToBytes(id), account })),
  )
  const { values } = await readAll(rpc, at, reads)
  return ALL_ROLES.map(({ role }, index) => ({
    role,
    accounts: accounts.filter((_, account) => values[index * accounts.length + account] === true),
  }))
}
