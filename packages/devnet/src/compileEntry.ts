import { compileContracts } from './compile.ts'

// Run at build time, so that no boot waits for the compiler.
await compileContracts((line) => console.log(line))
