#!/usr/bin/env node
// The compiler that forge and chisel start: solc of npm behind the two options of the native program that they use.
// Sources come in the input, so that options about paths do not matter.
import { readFileSync } from 'node:fs'
import solc from 'solc'

const options = process.argv.slice(2)
if (options.includes('--version')) {
  process.stdout.write(`solc, the solidity compiler commandline interface\nVersion: ${solc.version()}\n`)
} else if (options.includes('--standard-json')) {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
} else {
  process.stderr.write(`This wrapper of solc knows --version and --standard-json, not '${options.join(' ')}'.\n`)
  process.exitCode = 1
}
