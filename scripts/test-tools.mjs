import '../test/tools/options.mjs'
import { prepare } from './prepare.mjs'

prepare()
await import('../test/tools/main.mjs')
