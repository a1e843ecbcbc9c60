import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { conformanceBytes, conformancePath, hasConformanceData } from '../../../test/support/conformance-data.ts'
import { LAYER_1 } from '../../../test/support/engine-fixture.ts'
import { rlpSequence } from '../../../test/support/rlp-sequence.ts'
import type { Block } from '../../chain/block/block.ts'
import { readBlock } from '../../chain/block/block-codec.ts'
import type { BlockView } from '../../node/view/view.ts'
import { GO_ETHEREUM } from '../compat/node-conventions.ts'
import { MemoizedBlocks } from '../memoized/memoized-blocks.ts'
import { isJsonObject } from '../protocol/json.ts'

const FOLDER = 'execution-apis'
const METHODS = [
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getTransactionByHash',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
]
const memoized = new MemoizedBlocks({ config: LAYER_1, maxBytes: 0, objects: GO_ETHEREUM.objects })
const isThere = hasConformanceData(FOLDER, 'recorded blocks and transactions')

/** Blocks and transactions of ethereum/execution-apis as formatted by go-ethereum, without the genesis block. */
describe.skipIf(!isThere)('recorded blocks and transactions', () => {
  const blocks = isThere ? readBlocks() : new Map<string, BlockView>()
  const files = isThere ? METHODS.flatMap(filesOf) : []

  test.each(files)('%s', (_, path) => {
    const recorded = recordedResult(path)
    if (!isJsonObject(recorded) || recorded.number === '0x0') return
    const block = blocks.get(String(recorded.blockHash ?? recorded.hash))
    const isBlock = 'transactions' in recorded
    const text = isBlock
      ? memoized.blockText(block!, isJsonObject((recorded.transactions as unknown[])[0]))
      : memoized.transaction(block, Number(recorded.transactionIndex))!.text
    expect(JSON.parse(text)).toEqual(recorded)
  })
})

function readBlocks(): Map<string, BlockView> {
  const items = Array.from(rlpSequence(conformanceBytes(`${FOLDER}/chain.rlp`)))
  const blocks = items.map(({ item, raw }): Block => readBlock(item, raw.length))
  return new Map(blocks.map((block) => [block.hash, { block, receipts: [], status: 'sealed' }]))
}

function filesOf(method: string): [string, string][] {
  const folder = conformancePath(`${FOLDER}/${method}`)
  return readdirSync(folder).map((name) => [`${method}/${name}`, join(folder, name)])
}

function recordedResult(path: string): unknown {
  const response = readFileSync(path, 'utf8')
    .split('\n')
    .find((line) => line.startsWith('<< '))!
  return JSON.parse(response.slice(3)).result
}
