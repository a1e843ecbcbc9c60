import type { TracedMessage, TraceEntry } from './world/trace.ts'

const STYLE = `
body { margin: 0; font: 13px/1.4 system-ui, sans-serif; background: #101418; color: #dde3ea; }
header { display: flex; gap: 12px; align-items: center; padding: 10px 16px; }
header input[type=range] { flex: 1; }
button, select { font: inherit; padding: 3px 12px; }
canvas { display: block; width: 100%; }
pre { margin: 0; padding: 10px 16px; height: 30vh; overflow: auto; font: 12px/1.5 ui-monospace, monospace; }
pre b { color: #ff7b72; } pre i { color: #7fd1b9; font-style: normal; }`

/** Draws the last seconds before the current time: a lane for each actor, with its flashblocks, faults and messages. */
const SCRIPT = `
const { entries, messages, actors, end } = JSON.parse(document.getElementById('run').textContent)
const canvas = document.querySelector('canvas'), log = document.querySelector('pre')
const slider = document.querySelector('input'), play = document.querySelector('button'), speed = document.querySelector('select')
const LANE = 46, LEFT = 110, WINDOW = 4000
let time = 0, last, isPlaying = false
slider.max = end
const laneOf = new Map(actors.map((actor, index) => [actor, LANE * (index + 0.7)]))
const colour = ({ actor, text }) => actor === 'world' || /killed|power|fails|ends:|BROKEN/.test(text) ? '#ff7b72'
  : text.startsWith('flashblock') ? '#58a6ff' : text.startsWith('block') ? '#7fd1b9' : '#8b949e'
function draw() {
  const width = canvas.width = canvas.clientWidth, height = canvas.height = LANE * (actors.length + 0.6)
  const context = canvas.getContext('2d'), from = time - WINDOW
  const x = (at) => LEFT + (width - LEFT - 20) * (at - from) / WINDOW
  context.font = '12px system-ui'
  for (const [actor, y] of laneOf) {
    context.fillStyle = '#dde3ea'
    context.fillText(actor, 12, y + 4)
    context.fillStyle = '#2b333c'
    context.fillRect(LEFT, y, width - LEFT - 20, 1)
  }
  context.strokeStyle = 'rgba(139, 148, 158, 0.35)'
  for (const { from: one, to, sentMs, arrivedMs } of messages) {
    if (arrivedMs < from || sentMs > time) continue
    const share = Math.min(1, (time - sentMs) / Math.max(0.001, arrivedMs - sentMs))
    const [start, finish] = [laneOf.get(one), laneOf.get(to)]
    context.beginPath()
    context.moveTo(x(sentMs), start)
    context.lineTo(x(sentMs + (arrivedMs - sentMs) * share), start + (finish - start) * share)
    context.stroke()
  }
  for (const entry of entries) {
    if (entry.timeMs < from || entry.timeMs > time) continue
    context.fillStyle = colour(entry)
    const size = entry.text.startsWith('block') ? 14 : entry.text.startsWith('flashblock') ? 9 : 5
    context.fillRect(x(entry.timeMs) - size / 2, laneOf.get(entry.actor) - size / 2, size, size)
  }
  const shown = entries.filter((entry) => entry.timeMs <= time && entry.timeMs >= from).slice(-60)
  log.replaceChildren(...shown.flatMap((entry) => {
    const line = document.createElement(colour(entry) === '#ff7b72' ? 'b' : entry.text.includes('block') ? 'i' : 'span')
    line.textContent = entry.step + '  ' + (entry.timeMs / 1000).toFixed(4) + '  ' + entry.actor + '  ' + entry.text + '\\n'
    return [line]
  }))
  log.scrollTop = log.scrollHeight
  slider.value = time
  document.querySelector('output').textContent = (time / 1000).toFixed(2) + ' s'
}
function tick(now) {
  if (!isPlaying) return
  time = Math.min(end, time + (now - (last ?? now)) * speed.value)
  last = now
  draw()
  if (time >= end) toggle()
  requestAnimationFrame(tick)
}
function toggle() {
  isPlaying = !isPlaying && time < end
  last = undefined
  play.textContent = isPlaying ? 'Pause' : 'Play'
  if (isPlaying) requestAnimationFrame(tick)
}
play.onclick = toggle
slider.oninput = () => { time = Number(slider.value); draw() }
onresize = draw
draw()`

/** A page without other files that plays what a run did. */
export function tracePage(seed: number, entries: readonly TraceEntry[], messages: readonly TracedMessage[]): string {
  const named = [...entries.map(({ actor }) => actor), ...messages.flatMap(({ from, to }) => [from, to])]
  const actors = [...new Set(named)].sort()
  const end = Math.ceil(Math.max(0, ...entries.slice(-1).map(({ timeMs }) => timeMs)))
  // No text of a run can end the script element.
  const data = JSON.stringify({ entries, messages, actors, end }).replaceAll('<', '\\u003c')
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Simulation of seed ${seed}</title>
<style>${STYLE}</style>
<header>
<button type="button">Play</button>
<input type="range" min="0" step="1" value="0" aria-label="Time">
<output></output>
<select aria-label="Speed"><option value="0.1">0.1 ×</option><option value="0.5">0.5 ×</option>
<option value="1" selected>1 ×</option><option value="5">5 ×</option></select>
</header>
<canvas></canvas>
<pre></pre>
<script type="application/json" id="run">${data}</script>
<script>${SCRIPT}</script>
</html>
`
}
