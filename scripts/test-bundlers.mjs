import '../test/bundlers/options.mjs'
import { prepare } from './prepare.mjs'

prepare()
await import('../test/bundlers/main.mjs')
