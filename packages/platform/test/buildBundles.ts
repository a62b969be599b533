import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Builds these bundles of dist/ unless they are up to date; a test that starts one calls this first. */
export function buildBundles(...names: string[]): void {
  execFileSync(process.execPath, ['scripts/build.mjs', '--quiet', `--only=${names.join()}`], {
    cwd: ROOT,
    stdio: 'inherit',
  })
}
