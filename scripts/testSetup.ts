import { execFileSync } from 'node:child_process'

/** Stories start the bundles in dist/. */
export default function buildBundles(): void {
  execFileSync(process.execPath, ['scripts/build.mjs', '--quiet', '--test'], { stdio: 'inherit' })
}
