import { encodeExtraData } from '../../../chain/block/extra-data.ts'
import { createHeader, type Header } from '../../../chain/block/header.ts'
import { BASE_FEE_VAULT_ADDRESS } from '../../../chain/constants.ts'
import type { ChainConfig } from '../../../chain/forks/chain-config.ts'
import { forkTimesOf, UPGRADES, type Upgrade, type UpgradeTimes } from '../../../chain/forks/upgrades.ts'
import type { BlockChoices } from '../../../engine/block/block-attributes.ts'
import type { Bytes, Hash } from '../../../primitives/hex.ts'
import { byHash, readNodeWitness } from './node-witness.ts'
import type { Witness } from './witness.ts'
import { WitnessMembers } from './witness-members.ts'

/**
 * Reads a block with its witness, in one of the two forms of docs/witnesses.md: the responses of a node, or a recorded
 * block of an OP-stack chain.
 *
 * @param config the rules of a block of the first form. Default: only the second form is read
 * @throws WitnessError INVALID_WITNESS
 * @example readWitness(JSON.parse(await readFile('block.json', 'utf8')))
 */
export function readWitness(json: unknown, config?: ChainConfig): Witness {
  const file = new WitnessMembers(json, 'the witness')
  return config !== undefined && file.has('witness') ? readNodeWitness(file, config) : readRecordedBlock(file)
}

/** Payload attributes, parent, codes and trie nodes of a block, with the rules of its chain. */
function readRecordedBlock(file: WitnessMembers): Witness {
  const parent = file.object('parent')
  const expected = file.object('expected')
  const attributes = file.object('attributes')
  const header = readHeader(parent.object('header'))
  return {
    config: readConfig(file.object('chain')),
    parent: { header, hash: parent.hash('hash') },
    choices: readChoices(attributes),
    transactions: attributes.bytesList('transactions'),
    codes: readPreimages(file.object('codes')),
    nodes: readPreimages(file.object('nodes')),
    expected: {
      hash: expected.hash('hash'),
      header: readHeader(expected.object('header')),
      receipts: expected.objects('receipts').map((receipt) => receipt.bytes('raw')),
    },
  }
}

function readConfig(chain: WitnessMembers): ChainConfig {
  const defaults = chain.object('eip1559Defaults')
  const upgradeTimes = readUpgradeTimes(chain.object('forkTimes'))
  return {
    chainId: chain.integer('chainId'),
    // OP-stack chains begin at Bedrock, after the merge.
    forkBlocks: { paris: 0 },
    forkTimes: forkTimesOf(upgradeTimes),
    blobSchedule: {},
    layer2: {
      eip1559Elasticity: Number(defaults.integer('eip1559Elasticity')),
      eip1559Denominator: Number(defaults.integer('eip1559DenominatorCanyon')),
      minBaseFee: 0n,
      daFootprintGasScalar: 0,
      baseFeeRecipient: BASE_FEE_VAULT_ADDRESS,
      upgradeTimes,
    },
  }
}

/** Members as op-node's rollup.json names them: `canyon_time` and so on. */
function readUpgradeTimes(times: WitnessMembers): UpgradeTimes {
  const upgradeTimes: Partial<Record<Upgrade, bigint>> = {}
  for (const upgrade of UPGRADES) {
    const name = `${upgrade}_time`
    if (times.has(name)) upgradeTimes[upgrade] = times.integer(name)
  }
  // Recorded chains name the upgrades since Canyon; Regolith came before.
  upgradeTimes.regolith ??= 0n
  return upgradeTimes
}

function readChoices(attributes: WitnessMembers): BlockChoices {
  return {
    timestamp: attributes.integer('timestamp'),
    gasLimit: attributes.integer('gasLimit'),
    miner: attributes.address('suggestedFeeRecipient'),
    mixHash: attributes.hash('prevRandao'),
    extraData: readExtraData(attributes),
    parentBeaconBlockRoot: attributes.hash('parentBeaconBlockRoot'),
    withdrawals: [],
  }
}

/** Denominator and elasticity, 32 bits each, and from Jovian on a minimum base fee (OP-stack specs). */
function readExtraData(attributes: WitnessMembers): Bytes {
  if (!attributes.has('eip1559Params')) return new Uint8Array()
  const parameters = attributes.integer('eip1559Params')
  return encodeExtraData({
    denominator: Number(parameters >> 32n),
    elasticity: Number(BigInt.asUintN(32, parameters)),
    ...(attributes.has('minBaseFee') && { minBaseFee: attributes.integer('minBaseFee') }),
  })
}

/** The hashes that the file names are computed rather than believed. */
function readPreimages(preimages: WitnessMembers): ReadonlyMap<Hash, Bytes> {
  return byHash(preimages.names().map((name) => preimages.bytes(name)))
}

function readHeader(header: WitnessMembers): Header {
  const optional = <T>(name: string, read: (name: string) => T) => (header.has(name) ? read(name) : undefined)
  const integer = (name: string) => header.integer(name)
  const hash = (name: string) => header.hash(name)
  const blobGasUsed = optional('blobGasUsed', integer)
  return createHeader({
    parentHash: hash('parentHash'),
    sha3Uncles: hash('sha3Uncles'),
    miner: header.address('miner'),
    stateRoot: hash('stateRoot'),
    transactionsRoot: hash('transactionsRoot'),
    receiptsRoot: hash('receiptsRoot'),
    logsBloom: header.bytes('logsBloom'),
    difficulty: integer('difficulty'),
    number: Number(integer('number')),
    gasLimit: integer('gasLimit'),
    gasUsed: Number(integer('gasUsed')),
    timestamp: integer('timestamp'),
    extraData: header.bytes('extraData'),
    mixHash: hash('mixHash'),
    nonce: header.bytes('nonce'),
    ...defined('baseFeePerGas', optional('baseFeePerGas', integer)),
    ...defined('withdrawalsRoot', optional('withdrawalsRoot', hash)),
    ...defined('blobGasUsed', blobGasUsed === undefined ? undefined : Number(blobGasUsed)),
    ...defined('excessBlobGas', optional('excessBlobGas', integer)),
    ...defined('parentBeaconBlockRoot', optional('parentBeaconBlockRoot', hash)),
    ...defined('requestsHash', optional('requestsHash', hash)),
  })
}

function defined<Name extends string, T>(name: Name, value: T | undefined): Partial<Record<Name, T>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, T>)
}
