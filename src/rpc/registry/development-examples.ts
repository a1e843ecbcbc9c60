import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import type { JsonRecord } from '../protocol/json.ts'
import { EXAMPLE_SENT_RECEIPT } from './examples.ts'

/** Values in the examples of development methods, on the chain of `examples.ts`. */

/** An account whose key the node has, without transactions. */
export const EXAMPLE_SENDER = DEVELOPMENT_ACCOUNTS[3]!.address
export const EXAMPLE_ACCOUNTS = DEVELOPMENT_ACCOUNTS.map(({ address }) => address)
/** An address without a key. */
export const EXAMPLE_STRANGER = '0x00000000000000000000000000000000000000aa'

export const EXAMPLE_SIGNATURE =
  '0x9c37d88ecf1384154f1126c9ebdf3b0b60316da0fc99090983744777f696530a030cd0f4b5ccc845a2950e4bf946349e442986f5c8d1' +
  '7f367c2b8a60718ac7511b'
export const EXAMPLE_TYPED_SIGNATURE =
  '0x1a826713ca2c9db725d7759090867121ef149db2b0876609a650d3a32182a2b4751da09e294c831081cdd46e7ff095833aeb12da661e' +
  '878aad9476bae03f345b1c'
export const EXAMPLE_TYPED_DATA = {
  types: { Note: [{ name: 'text', type: 'string' }] },
  primaryType: 'Note',
  domain: { name: 'Tickertape', chainId: 31337 },
  message: { text: 'hello' },
}

export const EXAMPLE_TRANSFER = { from: EXAMPLE_SENDER, to: EXAMPLE_STRANGER, value: '0x1' }
export const EXAMPLE_TRANSFER_HASH = '0xdc02f384d3cfe4632cfa1189f43b010acd4043b696f07b776738887b48fec42c'
export const EXAMPLE_TRANSFER_RECEIPT = {
  ...EXAMPLE_SENT_RECEIPT,
  transactionHash: EXAMPLE_TRANSFER_HASH,
  from: EXAMPLE_SENDER,
  to: EXAMPLE_STRANGER,
} as const satisfies JsonRecord
export const EXAMPLE_SIGNED = {
  raw:
    '0x02f86a827a6980830f424083a7d8c08252089400000000000000000000000000000000000000aa0180c001a013fabe5c5534a9375052' +
    'c38624f367c19c1bdb46108635a4c8fdc19c8d6ac4bba06546442612aa55a7c44fcafad1173961ae39a7a9132cbe47e0d51d851d3fe904',
  tx: {
    type: '0x2',
    hash: EXAMPLE_TRANSFER_HASH,
    from: EXAMPLE_SENDER,
    to: EXAMPLE_STRANGER,
    nonce: '0x0',
    gas: '0x5208',
    value: '0x1',
    input: '0x',
    chainId: '0x7a69',
    accessList: [],
    maxFeePerGas: '0xa7d8c0',
    maxPriorityFeePerGas: '0xf4240',
    v: '0x1',
    r: '0x13fabe5c5534a9375052c38624f367c19c1bdb46108635a4c8fdc19c8d6ac4bb',
    s: '0x6546442612aa55a7c44fcafad1173961ae39a7a9132cbe47e0d51d851d3fe904',
    yParity: '0x1',
    gasPrice: '0xa7d8c0',
  },
} as const satisfies JsonRecord

export const EXAMPLE_BUNDLE_ID = '0x4d61696e'
