import '../test/damage/options.mjs'
import { prepare } from './prepare.mjs'

prepare()
await import('../test/damage/main.mjs')
