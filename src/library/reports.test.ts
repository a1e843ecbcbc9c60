import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { compileMeter, METER_PATH, meterInput } from '../../test/support/measured-project.ts'
import { createNode } from './create-node.ts'
import { writeReports } from './reports.ts'

test('a build without syntax trees has no line coverage, and gets a gas report only', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'reports-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const artifacts = join(directory, 'artifacts')
  const { contracts } = compileMeter()
  const output = { contracts, sources: { [METER_PATH]: { id: 0 } } }
  const info = { solcLongVersion: '0.8.37', input: meterInput(), output }
  mkdirSync(join(artifacts, 'build-info'), { recursive: true })
  writeFileSync(join(artifacts, 'build-info', 'a.json'), JSON.stringify(info))
  const node = await createNode({ mining: 'auto' })
  onTestFinished(() => node.close())

  const lcov = join(directory, 'lcov.info')
  await expect(writeReports(node, { artifacts, lcov })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringContaining('has no syntax trees: compile with'),
  })
  expect(existsSync(lcov)).toBe(false)
  expect((await writeReports(node, { artifacts })).linePercentage).toBeUndefined()
})
