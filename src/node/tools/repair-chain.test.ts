import { cpSync } from 'node:fs'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ChainDirectories, runChain } from '../../../test/support/chain-directory.ts'
import { damagePage, storedPages } from '../../../test/support/stored-pages.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { type BlockSource, backupSource, repairChain } from './repair-chain.ts'

const { genesis } = createNetwork()
const directories = new ChainDirectories()
/** A block after a state change (`runChain`). */
const ALTERED = 3
let sound: string

beforeAll(async () => {
  sound = directories.next()
  await runChain(sound)
})

afterAll(() => directories.remove())

function copyOfSound(): string {
  const directory = directories.next()
  cpSync(sound, directory, { recursive: true, filter: (path) => !path.endsWith('/lock') })
  return directory
}

/** A copy of the chain with a damaged page in each of the tables. */
function damaged(...tables: readonly string[]): string {
  const directory = copyOfSound()
  const pages = storedPages(directory).filter(({ kind }) => kind === 'leaf')
  for (const table of tables) damagePage(directory, pages.find((part) => part.table === table)!.pages[0]!)
  return directory
}

async function soundSource(): Promise<BlockSource> {
  const source = await backupSource({ directory: copyOfSound(), genesis })
  onTestFinished(() => source.close())
  return source
}

function repair(directory: string, source: Pick<BlockSource, 'block'>) {
  return repairChain({ directory, genesis }, { name: 'the source', close: async () => {}, ...source }, async () => {})
}

test('counts the blocks of which the source gave something that was used', async () => {
  const source = await soundSource()
  let asked = 0

  const outcome = await repair(damaged('preludes'), {
    async block(number) {
      asked += 1
      const { prelude, ...block } = (await source.block(number))!
      return prelude === undefined ? block : { ...block, prelude }
    },
  })

  expect(outcome).toMatchObject({ kind: 'repaired', fetched: 2 })
  expect(asked).toBeGreaterThan(2)
})

test('names the source when its block is of another chain, although state changes may be missing', async () => {
  const source = await soundSource()

  const outcome = await repair(damaged('bodies', 'preludes'), {
    async block(number) {
      const block = (await source.block(number))!
      return { ...block, prelude: undefined, header: { ...block.header, parentHash: block.hash } }
    },
  })

  expect(outcome).toEqual({ kind: 'failed', message: expect.stringMatching(/^block 1 of the source: its parentHash/) })
})

test('asks for a backup when a block of a node needs state changes that are damaged', async () => {
  const source = await soundSource()

  const outcome = await repair(damaged('bodies', 'preludes'), {
    block: async (number) => ({ ...(await source.block(number))!, prelude: undefined }),
  })

  expect(outcome).toEqual({
    kind: 'failed',
    message: expect.stringMatching(new RegExp(`state changes before block ${ALTERED} .* name a backup`)),
  })
})
