import '../test/foundry/options.mjs'
import { prepare } from './prepare.mjs'

prepare()
await import('../test/foundry/main.mjs')
