// Ends a CI run: runs the files that failed once more, alone, names the tests that passed only then as flaky, and
// closes with "N passed, N failed".
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { relative } from 'node:path'

/** More failed files than this are not a matter of reliability: they are not run again. */
const MAX_RERUN_FILES = 5

const [reportFile, statusText] = process.argv.slice(2)
const first = read(reportFile)
let failed = first?.numFailedTests ?? 0
let passed = first?.numPassedTests ?? 0
let status = Number(statusText)

const failedFiles = (first?.testResults ?? []).filter(({ status }) => status === 'failed')
if (status !== 0 && failedFiles.length > 0 && failedFiles.length <= MAX_RERUN_FILES) {
  const files = failedFiles.map(({ name }) => relative(process.cwd(), name))
  console.log(`\nfailed, and run once more: ${files.join(', ')}`)
  const secondFile = `${reportFile}.again`
  const { status: rerunStatus } = spawnSync(
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
  if (rerunStatus === 0 && read(secondFile)) {
    const flaky = flakyTests(failedFiles)
    console.log(`\nNOT RELIABLE: ${flaky.length} flaky: passed on the second run`)
    for (const name of flaky) console.log(`  ${name}`)
    passed += failed
    failed = 0
    status = 0
  }
}
// Type errors, lint and files that could not be loaded fail without a failed test.
if (status !== 0 && failed === 0) failed = 1
console.log(`${passed} passed, ${failed} failed`)
process.exit(status === 0 ? 0 : 1)

/** A file that failed outside its tests, by a hook or while it was loaded, counts as one. */
function flakyTests(results) {
  return results.flatMap(({ name, assertionResults }) => {
    const file = relative(process.cwd(), name)
    const tests = assertionResults.filter(({ status }) => status === 'failed')
    return tests.length === 0 ? [file] : tests.map(({ fullName }) => `${file}: ${fullName}`)
  })
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  } finally {
    rmSync(file, { force: true })
  }
}
