import { render } from 'preact'
import { App } from './app.tsx'
import { storageOr } from './client/abi-storage.ts'
import { endpointOf } from './client/endpoint.ts'
import { createStudio, StudioContext } from './client/studio.ts'
import { Problem } from './widgets/layout.tsx'

const root = document.getElementById('app')!
const choice = endpointOf(new URL(location.href))
root.textContent = ''
if (choice.kind === 'invalid') {
  render(
    <main class="view">
      <h1>Tickertape Studio</h1>
      <Problem text={choice.message} />
    </main>,
    root,
  )
} else {
  const studio = createStudio(choice.endpoint, {
    fetch: (url, init) => fetch(url, init),
    connect: (url) => new WebSocket(url),
    now: () => Date.now(),
    after(milliseconds, action) {
      const timer = setTimeout(action, milliseconds)
      return () => clearTimeout(timer)
    },
    storage: storageOr(() => localStorage),
    events: window,
  })
  // Timers stand still while the machine sleeps or the page is hidden.
  addEventListener('online', () => studio.client.retry())
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) studio.client.retry()
  })
  render(
    <StudioContext.Provider value={studio}>
      <App />
    </StudioContext.Provider>,
    root,
  )
}
