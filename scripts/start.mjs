import { prepare } from './prepare.mjs'

prepare()
await import('../dist/cli/main.js')
