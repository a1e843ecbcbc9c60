import '../test/crash/options.mjs'
import { prepare } from './prepare.mjs'

prepare()
await import('../test/crash/main.mjs')
