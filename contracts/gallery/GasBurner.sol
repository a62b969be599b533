// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Specimen} from "./Specimen.sol";

/// @title Every call burns all the gas it is given.
contract GasBurner is Specimen {
    constructor(string memory n, string memory s, uint256 supply) Specimen(n, s, supply) {}

    /// Transfers work until the owner lights it, so that a pool can be made first.
    bool public lit;

    function light() external onlyOwner {
        lit = true;
    }

    function name() external view override returns (string memory) {
        _burn();
        return _name;
    }

    function symbol() external view override returns (string memory) {
        _burn();
        return _symbol;
    }

    function decimals() public view override returns (uint8) {
        _burn();
        return 18;
    }

    function balanceOf(address account) public view override returns (uint256) {
        _burn();
        return _balances[account];
    }

    function _move(address from, address to, uint256 value) internal override {
        _burn();
        super._move(from, to, value);
    }

    function _burn() private view {
        if (!lit) return;
        assembly {
            invalid()
        }
    }
}
