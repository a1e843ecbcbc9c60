import '../test/openapi-tools/options.mjs'
import { prepare } from './prepare.mjs'

prepare()
await import('../test/openapi-tools/main.mjs')
