import { encodeBlock } from '../../chain/block/block-codec.ts'
import { encodeHeader } from '../../chain/block/header-codec.ts'
import { encodeReceipt } from '../../chain/receipt/receipt-codec.ts'
import { LATEST } from '../../node/view/block-reference.ts'
import { bytesToHex } from '../../primitives/hex.ts'
import { blockReference } from '../codecs/block-reference.ts'
import { data, hash } from '../codecs/bytes.ts'
import { count } from '../codecs/quantity.ts'
import { requireState, unknownBlock } from '../context/context.ts'
import { RPC_CODES, RpcError, setHeadError } from '../protocol/errors.ts'
import { defaultedParam, defineMethod, defineWritingMethod, type Method, requiredParam } from '../registry/method.ts'
import { arrayOf } from '../schemas/schemas.ts'
import { eth_getRawTransactionByHash } from './transactions.ts'

export const debug_codeByHash = defineMethod({
  name: 'debug_codeByHash',
  summary: 'The code with a hash, of any contract of the chain; empty if there is none.',
  params: [requiredParam('hash', hash), defaultedParam('block', blockReference, LATEST)],
  result: data.schema,
  cost: 1,
  example: {
    params: ['0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
    result: '0x',
  },
  handle: ([codeHash, reference], context) => bytesToHex(requireState(context, reference).code(codeHash)),
})

export const debug_getBadBlocks = defineMethod({
  name: 'debug_getBadBlocks',
  summary: 'Always empty: the node receives no blocks from peers.',
  params: [],
  result: arrayOf({ type: 'object' }),
  cost: 1,
  example: { params: [], result: [] },
  handle: () => [],
})

export const debug_getRawBlock = defineMethod({
  name: 'debug_getRawBlock',
  summary: 'The RLP of a block; `pending` is the open one.',
  params: [requiredParam('block', blockReference)],
  result: data.schema,
  cost: 10,
  example: {
    params: ['pending'],
    result:
      '0xf9030af90271a0556e3c5799c93e2d26c549fd075670b4ef08f3728e28dc1ce328dd84c2694390a01dcc4de8dec75d7aab' +
      '85b567b6ccd41ad312451b948a7413f0a142fd40d49347944200000000000000000000000000000000000011a069ac42de75' +
      'b017367834bd1410770f5d092d3665a7792ef73a26ee24633aa8d4a0b9032943bc90a112d863cf4fc720fb0a80c1d1a649fc' +
      '76e7033d56f163720f81a082d96b657faef9c16d0888446b5df38b09364fd0a444f0b086bb82e73bc3c0e9b9010000000000' +
      '0000000000000000000000000000000000000000000000000000000000000000000040000000000000000000000000000000' +
      '0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004000000000' +
      '0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000' +
      '0002000000000000000000000000000000000000000000000000000000000000000000000000000000400000000000000000' +
      '0000000000000000000000000000000000000010000000000000000000000000002000000000000000000000000000000000' +
      '000080028417d78400825691846955b9049101000000640000000500000000004c4b40a024f51d9e7d3717a841b0b7924a69' +
      '09787ac09d9b60532cb775a0880362192b81880000000000000000834c4b40a0f38f9f63c760d088d7dd04f743619b6291f6' +
      '3beebd8bdf530628f90e9cfa52d78080a00000000000000000000000000000000000000000000000000000000000000000a0' +
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855f892b89002f88d827a6901830f4240850254' +
      '0be400830186a0945fbdb2315678afecb367f032d93f642f64180aa380a00000000000000000000000000000000000000000' +
      '00000000000000000000002ac001a0fbd1d8d530a17932c45273c51261d119955ae981fd4408653dcd92cf8ca6821fa02cf6' +
      '99fd1d8145b5224db3f0340d133aaa6477ab50514fece725d63f19b19387c0c0',
  },
  handle([reference], { view }) {
    const found = view.block(reference)
    if (found === undefined) throw unknownBlock(view, reference)
    return bytesToHex(encodeBlock(found.block))
  },
})

export const debug_getRawBlockAccessList = defineMethod({
  name: 'debug_getRawBlockAccessList',
  summary: 'Always refused: no fork that is known here has block access lists (EIP-7928).',
  params: [requiredParam('block', blockReference)],
  result: data.schema,
  cost: 1,
  example: {
    params: ['latest'],
    error: { code: RPC_CODES.notFound, message: 'resource not found: the block has no access list' },
  },
  handle() {
    throw new RpcError(RPC_CODES.notFound, 'resource not found: the block has no access list')
  },
})

export const debug_getRawHeader = defineMethod({
  name: 'debug_getRawHeader',
  summary: 'The RLP of a header.',
  params: [requiredParam('block', blockReference)],
  result: data.schema,
  cost: 10,
  example: {
    params: ['pending'],
    result:
      '0xf90271a0556e3c5799c93e2d26c549fd075670b4ef08f3728e28dc1ce328dd84c2694390a01dcc4de8dec75d7aab85b567' +
      'b6ccd41ad312451b948a7413f0a142fd40d49347944200000000000000000000000000000000000011a069ac42de75b01736' +
      '7834bd1410770f5d092d3665a7792ef73a26ee24633aa8d4a0b9032943bc90a112d863cf4fc720fb0a80c1d1a649fc76e703' +
      '3d56f163720f81a082d96b657faef9c16d0888446b5df38b09364fd0a444f0b086bb82e73bc3c0e9b9010000000000000000' +
      '0000000000000000000000000000000000000000000000000000000000000040000000000000000000000000000000000000' +
      '0000000000000000000000000000000000000000000000000000000000000000000000000000000000004000000000000000' +
      '0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000200' +
      '0000000000000000000000000000000000000000000000000000000000000000000000000000400000000000000000000000' +
      '0000000000000000000000000000000010000000000000000000000000002000000000000000000000000000000000000080' +
      '028417d78400825691846955b9049101000000640000000500000000004c4b40a024f51d9e7d3717a841b0b7924a6909787a' +
      'c09d9b60532cb775a0880362192b81880000000000000000834c4b40a0f38f9f63c760d088d7dd04f743619b6291f63beebd' +
      '8bdf530628f90e9cfa52d78080a00000000000000000000000000000000000000000000000000000000000000000a0e3b0c4' +
      '4298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  },
  handle([reference], { view }) {
    const found = view.header(reference)
    if (found === undefined) throw unknownBlock(view, reference)
    return bytesToHex(encodeHeader(found))
  },
})

export const debug_getRawReceipts = defineMethod({
  name: 'debug_getRawReceipts',
  summary: 'The receipts of a block as the receipts trie holds them (EIP-2718).',
  params: [requiredParam('block', blockReference)],
  result: arrayOf(data.schema),
  cost: 10,
  example: {
    params: ['pending'],
    result: [
      '0x02f9016301825691b901000000000000000000000000000000000000000000000000000000000000000000000000000000' +
        '4000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000' +
        '0000000000000000000000400000000000000000000000000000000000000000000000000000000000000000000000000000' +
        '0000000000000000000000000000000000020000000000000000000000000000000000000000000000000000000000000000' +
        '0000000000000040000000000000000000000000000000000000000000000000000000100000000000000000000000000020' +
        '000000000000000000000000000000000000f85af858945fbdb2315678afecb367f032d93f642f64180aa3e1a00000000000' +
        '00000000000000000000000000000000000000000000000000002aa000000000000000000000000000000000000000000000' +
        '00000000000000000000',
    ],
  },
  handle([reference], { view }) {
    const found = view.block(reference)
    if (found === undefined) throw unknownBlock(view, reference)
    return found.receipts.map((receipt) => bytesToHex(encodeReceipt(receipt)))
  },
})

/** An alias, as in go-ethereum. */
export const debug_getRawTransaction: Method = { ...eth_getRawTransactionByHash, name: 'debug_getRawTransaction' }

export const debug_setHead = defineWritingMethod({
  name: 'debug_setHead',
  summary: 'Unwinds all blocks above a sealed one. Their logs are announced as removed; later blocks replace them.',
  params: [requiredParam('number', count)],
  result: { type: 'null' },
  cost: 500,
  example: { params: ['0x1'], result: null },
  async handle([number], { node }) {
    const result = await node.setHead(number)
    if (result.kind === 'refused') throw setHeadError(result.refusal)
    return null
  },
})
