import { prepare } from './prepare.mjs'

prepare()

// A signal to npm must stop the node: npm does not forward every signal, and the child would continue alone.
if (process.env.npm_lifecycle_event === 'start') {
  const npm = process.ppid
  setInterval(() => {
    if (process.ppid !== npm) process.kill(process.pid, 'SIGTERM')
  }, 500).unref()
}

await import('../dist/bundle/main.js')
