import '../test/deploy/options.mjs'
import { prepare } from './prepare.mjs'

prepare()
await import('../test/deploy/main.mjs')
