// Runs npm scripts side by side, one for each core, and fails if one of them fails. The output of a script is printed
// if it fails. After `--with`, a script and its arguments: it runs beside them, and its output is printed at once.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'

const args = process.argv.slice(2)
const at = args.indexOf('--with')
const names = at < 0 ? args : args.slice(0, at)
const [shown, ...rest] = at < 0 ? [] : args.slice(at + 1)
const waiting = [...names]
let failed = false

await Promise.all([
  shown && run(shown, rest, 'inherit'),
  ...Array.from({ length: shown ? 1 : availableParallelism() }, async () => {
    for (let name = waiting.shift(); name; name = waiting.shift()) await run(name, [], 'pipe')
  }),
])
process.exit(failed ? 1 : 0)

async function run(name, more, output) {
  const startedMs = performance.now()
  const args = ['run', '--silent', name, ...(more.length > 0 ? ['--', ...more] : [])]
  const child = spawn('npm', args, { stdio: ['inherit', output, output] })
  const chunks = []
  child.stdout?.on('data', (chunk) => chunks.push(chunk))
  child.stderr?.on('data', (chunk) => chunks.push(chunk))
  const code = await new Promise((resolve) => child.on('close', resolve).on('error', () => resolve(1)))
  if (code !== 0) failed = true
  if (output === 'inherit') return
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
  if (code !== 0) process.stdout.write(Buffer.concat(chunks))
  process.stdout.write(`${code === 0 ? 'passed' : 'FAILED'}  npm run ${name}  ${seconds} s\n`)
}
