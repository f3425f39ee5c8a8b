/** The Emscripten module of Pyodide, which its package ships without types. */
declare module 'pyodide/pyodide.asm.mjs'
