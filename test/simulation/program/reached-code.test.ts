import { expect, test } from 'vitest'
import { compileProgram } from '../world/simulated-process.ts'
import { ReachedCode, reachedTable } from './reached-code.ts'

const CODE = `function reached() {
  return 1
}
function missed() {
  return 2
}
if (reached() === 2) {
  missed()
}`
/** Each line is that of the source. */
const MAP = {
  version: 3,
  file: '',
  sourceRoot: '',
  sources: ['../src/node/source.ts'],
  sourcesContent: [],
  names: [],
  mappings: ['AAAA', ...Array(8).fill('AACA')].join(';'),
}

test('lines of functions and blocks that no process has run are unreached', () => {
  using code = new ReachedCode()
  const program = compileProgram(CODE)

  program.evaluate({})
  code.add(CODE)
  program.evaluate({})
  code.add(CODE)
  const lines = code.linesOf(CODE, MAP)

  expect(lines).toEqual([{ file: 'src/node/source.ts', lines: 6, unreached: [4, 5, 8] }])
  expect(reachedTable(lines)).toContain('| `src/node/source.ts` | 6 | 3 | 4-5, 8 |\n')
  expect(reachedTable(lines)).toContain('3 of 6 lines in 1 files were reached')
})
