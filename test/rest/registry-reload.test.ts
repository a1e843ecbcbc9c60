import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { spawnNode, startAttackedNode } from '../abuse/attacked-node.ts'

const TOKEN = {
  contract_address: '0x5700000000000000000000000000000000000001',
  symbol: 'ONEd',
  name: 'Example plc',
  isin: 'US0378331005',
}

let directory: string
let path: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'registry-'))
  path = join(directory, 'stocks.json')
})
afterEach(() => rmSync(directory, { recursive: true }))

function write(...tokens: readonly object[]): void {
  writeFileSync(path, JSON.stringify({ discover: false, tokens }, undefined, 2))
}

test('the registry is reloaded on SIGHUP and when it changes; an invalid one is logged and ignored', async () => {
  write(TOKEN)
  const node = await startAttackedNode('--log-level', 'info', '--stocks-registry', path)
  onTestFinished(() => {
    node.child.kill('SIGKILL')
  })
  const logged = async (text: string) => {
    while (!node.log.some((line) => line.includes(text))) await new Promise((resolve) => setImmediate(resolve))
  }
  const symbols = async () => {
    const response = await fetch(`${node.url}/v1/tokenized-stocks`)
    return ((await response.json()) as { tokens: { symbol: string }[] }).tokens.map(({ symbol }) => symbol)
  }
  expect(await symbols()).toEqual(['ONEd'])
  write({ ...TOKEN, symbol: 'TWOd' })
  node.child.kill('SIGHUP')
  await logged('stock registry reloaded')
  expect(await symbols()).toEqual(['TWOd'])
  write({ ...TOKEN, symbol: 2 })
  node.child.kill('SIGHUP')
  await logged('the previous one stays in effect')
  expect(node.log.join('\n')).toContain('stocks.json:6:17: tokens[0].symbol must be the symbol')
  expect(await symbols()).toEqual(['TWOd'])
  // A change is detected without a signal.
  write({ ...TOKEN, symbol: 'THREEd' }, { ...TOKEN, contract_address: `0x${'99'.repeat(20)}` })
  await logged('"tokens":2')
  expect(await symbols()).toEqual(['THREEd'])
})

test('a node does not start with an invalid registry, and names the line', async () => {
  write({ ...TOKEN, isin: 'US0378331006' })
  const { child, line, log } = await spawnNode(['--stocks-registry', path])
  expect(line).toBeUndefined()
  expect(log).toEqual([`tickertape: ${path}:8:15: tokens[0].isin US0378331006 is no ISIN: its check digit is wrong`])
  if (child.exitCode === null) await once(child, 'exit')
  expect(child.exitCode).toBe(1)
})
