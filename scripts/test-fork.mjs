import '../test/fork/options.mjs'
import { prepare } from './prepare.mjs'

prepare()
await import('../test/fork/main.mjs')
