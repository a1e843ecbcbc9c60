#!/usr/bin/env node
// The compiler that forge and chisel start: solc of npm behind the two options of the native program that they use.
// Sources come in the input, so that options about paths do not matter.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const options = process.argv.slice(2)
if (options.includes('--version')) {
  // Each command of forge asks for it, and the compiler takes a second to load. Without the commit forge asks online.
  const { compiler } = require('../clients/contracts/ledger.json')
  process.stdout.write(`solc, the solidity compiler commandline interface\nVersion: ${compiler}\n`)
} else if (options.includes('--standard-json')) {
  process.stdout.write(require('solc').compile(readFileSync(0, 'utf8')))
} else {
  process.stderr.write(`This wrapper of solc knows --version and --standard-json, not '${options.join(' ')}'.\n`)
  process.exitCode = 1
}
