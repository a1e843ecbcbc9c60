// `npm run docs:examples` writes the responses of the example chain to `src/rpc/registry/method-examples.json`. A new
// method needs an entry with `params` there first.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepare, prepareTestBuild, root } from './prepare.mjs'

prepare()
prepareTestBuild()
const { examplesText, playedExamples } = await import('../dist-test/scripts/docs/method-examples.js')
writeFileSync(join(root, 'src/rpc/registry/method-examples.json'), examplesText(await playedExamples()))
