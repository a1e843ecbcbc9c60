import { type Address, EMPTY_BYTES, type Slot, toAddress, ZERO_ADDRESS, ZERO_HASH } from '../../primitives/hex.ts'
import { bigintToSlot, bigintToWord } from '../../primitives/quantity.ts'
import { decodeExtraData } from '../block/extra-data.ts'
import { EMPTY_REQUESTS_HASH, EMPTY_UNCLES_HASH } from '../constants.ts'
import { INITIAL_BASE_FEE } from '../fees/base-fee.ts'
import type { ChainConfig } from '../forks/chain-config.ts'
import type { ProfileName } from '../forks/chain-profile.ts'
import { forkAt } from '../forks/fork-schedule.ts'
import { rulesOf } from '../forks/rules.ts'
import type { GenesisAccount } from '../predeploys/predeploy.ts'
import { denimGenesisFault } from './denim-genesis.ts'
import type { Genesis } from './genesis.ts'
import { parseChainConfig } from './genesis-config.ts'
import {
  GenesisError,
  isAbsent,
  type JsonMember,
  type JsonMembers,
  memberOf,
  readInteger,
  readJsonAddress,
  readJsonBytes,
  readJsonHash,
  readObject,
  readSafeNumber,
  wrong,
} from './genesis-fields.ts'

/**
 * Parses go-ethereum's genesis.json; numbers are decimal or hex, addresses with or without 0x.
 *
 * @param profile replaces that of the file (`config.profile`)
 * @throws GenesisError that names the invalid member
 * @example parseGenesis(JSON.parse(await readFile('genesis.json', 'utf8')))
 */
export function parseGenesis(json: unknown, profile?: ProfileName): Genesis {
  const genesis = readObject({ value: json, path: 'the file' })
  const extraData = orElse(memberOf(genesis, '', 'extraData'), readJsonBytes, EMPTY_BYTES)
  const position = readPosition(genesis)
  const config = parseChainConfig(readObject(memberOf(genesis, '', 'config')), {
    genesisParameters: decodeExtraData(extraData),
    profile,
    ...position,
  })
  const parsed = {
    config,
    header: readHeaderMembers(genesis, config, { ...position, extraData }),
    alloc: readAlloc(memberOf(genesis, '', 'alloc')),
  }
  const fault = denimGenesisFault(parsed)
  if (fault !== undefined) throw new GenesisError(`genesis: ${fault}`)
  return parsed
}

type Position = Pick<Genesis['header'], 'number' | 'timestamp'>

function readPosition(genesis: JsonMembers): Position {
  return {
    number: orElse(memberOf(genesis, '', 'number'), readSafeNumber, 0),
    timestamp: orElse(memberOf(genesis, '', 'timestamp'), readInteger, 0n),
  }
}

function readHeaderMembers(
  genesis: JsonMembers,
  config: ChainConfig,
  { number, timestamp, extraData }: Position & Pick<Genesis['header'], 'extraData'>,
): Genesis['header'] {
  const member = (...names: readonly string[]) => memberOf(genesis, '', ...names)
  const fork = forkAt(config, number, timestamp)
  return {
    parentHash: orElse(member('parentHash'), readJsonHash, ZERO_HASH),
    sha3Uncles: EMPTY_UNCLES_HASH,
    miner: orElse(member('coinbase'), readJsonAddress, ZERO_ADDRESS),
    difficulty: orElse(member('difficulty'), (found) => readInteger(found, 256), 0n),
    number,
    gasLimit: readInteger(member('gasLimit')),
    gasUsed: orElse(member('gasUsed'), readSafeNumber, 0),
    timestamp,
    extraData,
    mixHash: orElse(member('mixHash', 'mixhash'), readJsonHash, ZERO_HASH),
    nonce: bigintToWord(orElse(member('nonce'), readInteger, 0n)).subarray(24),
    ...(rulesOf(fork).hasBaseFee && {
      baseFeePerGas: orElse(member('baseFeePerGas'), (found) => readInteger(found, 256), INITIAL_BASE_FEE),
    }),
    ...(rulesOf(fork).hasBlobFee && {
      blobGasUsed: orElse(member('blobGasUsed'), readSafeNumber, 0),
      excessBlobGas: orElse(member('excessBlobGas'), readInteger, 0n),
      parentBeaconBlockRoot: orElse(member('parentBeaconBlockRoot'), readJsonHash, ZERO_HASH),
    }),
    ...(rulesOf(fork).hasRequests && { requestsHash: EMPTY_REQUESTS_HASH }),
  }
}

function readAlloc(member: JsonMember): ReadonlyMap<Address, GenesisAccount> {
  const alloc = readObject(member)
  const accounts = new Map<Address, GenesisAccount>()
  for (const key of Object.keys(alloc)) {
    const path = `${member.path}.${key}`
    if (!/^(0x)?[0-9a-fA-F]{40}$/.test(key)) {
      throw new GenesisError(`genesis: the key of ${path} must be an address of 40 hex digits`)
    }
    const address = toAddress(key.startsWith('0x') ? key : `0x${key}`)
    if (accounts.has(address)) throw new GenesisError(`genesis: ${path} names an account that the file has already`)
    accounts.set(address, readAccount({ value: alloc[key], path }))
  }
  return accounts
}

function readAccount(member: JsonMember): GenesisAccount {
  const account = readObject(member)
  const field = (name: string) => memberOf(account, member.path, name)
  return {
    balance: orElse(field('balance'), (found) => readInteger(found, 256), 0n),
    nonce: orElse(field('nonce'), readInteger, 0n),
    code: orElse(field('code'), readJsonBytes, EMPTY_BYTES),
    storage: orElse(field('storage'), readStorage, new Map()),
  }
}

function readStorage(member: JsonMember): ReadonlyMap<Slot, bigint> {
  const object = readObject(member)
  const storage = new Map<Slot, bigint>()
  for (const key of Object.keys(object)) {
    const path = `${member.path}.${key}`
    const slot = bigintToSlot(readWord({ value: key, path: `the key of ${path}` }))
    const value = readWord({ value: object[key], path })
    if (value !== 0n) storage.set(slot, value)
  }
  return storage
}

/** Up to 32 bytes in hex, with or without 0x and leading zeros. */
function readWord(member: JsonMember): bigint {
  const { value } = member
  if (typeof value !== 'string' || !/^(0x)?[0-9a-fA-F]{1,64}$/.test(value)) throw wrong(member, 'up to 32 bytes in hex')
  return BigInt(value.startsWith('0x') ? value : `0x${value}`)
}

function orElse<T>(member: JsonMember, read: (member: JsonMember) => T, fallback: T): T {
  return isAbsent(member) ? fallback : read(member)
}
