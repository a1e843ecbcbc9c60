import { prepare } from './prepare.mjs'

prepare()

// Whoever stops npm means the node: npm does not pass every signal on, and its child would go on alone.
if (process.env.npm_lifecycle_event === 'start') {
  const npm = process.ppid
  setInterval(() => {
    if (process.ppid !== npm) process.kill(process.pid, 'SIGTERM')
  }, 500).unref()
}

await import('../dist/cli/main.js')
