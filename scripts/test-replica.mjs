import '../test/replica/options.mjs'
import { prepare } from './prepare.mjs'

prepare()
await import('../test/replica/main.mjs')
