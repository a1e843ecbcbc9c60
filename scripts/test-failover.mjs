import '../test/failover/options.mjs'
import { prepare } from './prepare.mjs'

prepare()
await import('../test/failover/main.mjs')
