// What Datasette's pages do in a way our content security policy does not run by itself.
(() => {
  // The SQL editor makes style elements: they carry this page's nonce, as the template's own do.
  const nonce = document.currentScript.nonce;
  const createElement = Document.prototype.createElement;
  Document.prototype.createElement = function (name, ...rest) {
    const element = createElement.call(this, name, ...rest);
    if (element instanceof HTMLStyleElement) {
      element.nonce = nonce;
    }
    return element;
  };

  // The table page names this function in an event attribute.
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-open-column-chooser]")) {
      window.openColumnChooser();
    }
  });
})();
