/** The catalogue lies in the Python package, outside `rootDir`; generated.ts says what is in it. */
declare module '*.json' {
  type Form = string | { readonly one?: string; readonly other: string };
  const groups: Readonly<Record<string, Readonly<Record<string, Form>>>>;
  export default groups;
}
