import { prepare } from './prepare.mjs'

prepare()
await import('../demo/main.mjs')
