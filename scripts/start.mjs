import { prepareStart } from './prepare.mjs'
import { flagsKeptByNpm } from './support/npm-flags.mjs'

const kept = flagsKeptByNpm(process.env)
if (kept.length > 0) {
  process.stderr.write(
    `npm kept ${kept.join(', ')} for itself: write -- before the flags, as in npm start -- ${kept[0]}\n`,
  )
  process.exit(2)
}
prepareStart()

// A signal to npm must stop the node: npm does not forward every signal, and the child would continue alone.
if (process.env.npm_lifecycle_event === 'start') {
  const npm = process.ppid
  setInterval(() => {
    if (process.ppid !== npm) process.kill(process.pid, 'SIGTERM')
  }, 500).unref()
}

await import('../dist/bundle/main.js')
