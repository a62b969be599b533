// Ends a CI run: runs the files that failed once more, alone, and closes with "N passed, N failed".
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { relative } from 'node:path'

/** More than this and it is no hiccup. */
const MOST_FILES_AGAIN = 5

const [reportFile, statusText] = process.argv.slice(2)
const first = read(reportFile)
let failed = first?.numFailedTests ?? 0
let passed = first?.numPassedTests ?? 0
let status = Number(statusText)

const again = (first?.testResults ?? []).filter(({ status }) => status === 'failed')
if (status !== 0 && again.length > 0 && again.length <= MOST_FILES_AGAIN) {
  const files = again.map(({ name }) => relative(process.cwd(), name))
  console.log(`\nfailed, and run once more: ${files.join(', ')}`)
  const secondFile = `${reportFile}.again`
  const { status: ended } = spawnSync(
    'npx',
    [
      'vitest',
      'run',
      '--no-file-parallelism',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${secondFile}`,
      ...files,
    ],
    { stdio: 'inherit' },
  )
  const second = read(secondFile)
  if (ended === 0 && second) {
    passed += failed
    failed = 0
    status = 0
    console.log(`passed the second time: ${files.join(', ')}`)
  }
}
// Type errors, lint and files that could not be loaded fail without a failed test.
if (status !== 0 && failed === 0) failed = 1
console.log(`${passed} passed, ${failed} failed`)
process.exit(status === 0 ? 0 : 1)

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  } finally {
    rmSync(file, { force: true })
  }
}
