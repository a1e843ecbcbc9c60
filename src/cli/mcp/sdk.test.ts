import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadSdk, SDK_VERSION } from './sdk.ts'

const directory = mkdtempSync(join(tmpdir(), 'mcp-sdk-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

test('a missing SDK is answered with the line that installs it', async () => {
  await expect(loadSdk([directory])).rejects.toMatchObject({
    name: 'McpStartError',
    message: expect.stringContaining(`npm install @modelcontextprotocol/sdk@${SDK_VERSION}`),
  })
})

test('an SDK that cannot be loaded is named with its folder', async () => {
  const folder = join(directory, 'node_modules/@modelcontextprotocol/sdk')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{}')

  await expect(loadSdk([join(directory, 'deeper')])).rejects.toMatchObject({
    name: 'McpStartError',
    message: expect.stringContaining(`the SDK in ${folder} cannot be loaded`),
  })
})
